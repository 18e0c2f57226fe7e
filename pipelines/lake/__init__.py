"""Delta by contract: the tables, their locks, their Arrow schemas, and the engines that read them."""
