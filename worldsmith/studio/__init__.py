"""The studio: a local web page that shows domains, plays tasks step by step and watches evaluations."""
