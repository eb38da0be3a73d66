"""The client without asyncio. Made from `_async` by `npm run client-types`."""
