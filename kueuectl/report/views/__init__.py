"""Views: what of the model is shown, as tables and documents. They choose and format, they decide nothing."""
