"""The pages of the studio: `figures` and `tell` say what they show of a run, `freeze` writes it as one HTML file."""
