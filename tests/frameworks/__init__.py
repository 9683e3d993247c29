"""What `.ci/frameworks` needs beside the frameworks: a stand-in for a model, and a reader of what they recorded."""
