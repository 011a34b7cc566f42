"""Algorithm texts, each written once for order zero on any scalar."""
