"""The client on asyncio. `_sync` is made from it by `npm run client-types`."""
