"""Simulated users on one table: `machine` says where things are, `scripted` has words, `model_user` asks a model."""
