"""What the generator writes: prompts, designs as text, the files of tools, and a folder's documents."""
