"""Which numbers and tables do the pages of the documentation take from the records?

One module per page. Its ``VALUES`` are the texts of its numbers and tables by name, computed from
docs/benchmarks and docs/results; ``tools/render_numbers.py`` puts them into the page.
"""
