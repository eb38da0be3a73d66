"""The methods of the client."""
