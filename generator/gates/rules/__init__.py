"""The gate of a domain's rules: `cases` written from their prose, `mutants` that cases must notice, tools `bound`."""
