"""Tasks raised from others that an agent always solves: `ways` says how, `raising` makes and proves them."""
