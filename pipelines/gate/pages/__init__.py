"""The look of Great Expectations' pages: templates that need nothing from other machines."""
