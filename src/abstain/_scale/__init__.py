"""Dask: blocks, graphs, clusters, tree sums, and one policy for workers that die."""
