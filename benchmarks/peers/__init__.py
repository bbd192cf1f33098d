"""How do LVQ libraries fit the same folds, each in its own environment?

An adapter is a module named like its library. It says which ``PACKAGES`` it reports, which
``MODELS`` it has under our names, with which ``SETTINGS`` they are tried, whether a fit is
``COMPILED`` first, and how to ``make`` a model that can fit and predict.
"""
