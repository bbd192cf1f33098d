"""Dask: blocks, clusters, and what happens when workers die."""
