"""What every other room uses: checks, errors, files, text, estimators."""
