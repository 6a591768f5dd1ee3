"""Why a model does not learn: rules for silent failures and for losses that are no number."""
