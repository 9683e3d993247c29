"""Connect desktop clients: where each keeps its servers (`client`), and how that file is edited (`jsonc`, `config`)."""
