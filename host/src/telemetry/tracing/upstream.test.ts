import { expect, it } from 'vitest';
import { upstreamOf } from './upstream.ts';

const serverOf = (base_url: string) => upstreamOf({ type: 'openai', rawOptions: { base_url } }).server;

it('has host and port of the base URL, and nothing else of it', () => {
  expect(serverOf('https://api.example.com/v1')).toEqual({ address: 'api.example.com', port: 443 });
  expect(serverOf('http://models.internal')).toEqual({ address: 'models.internal', port: 80 });
  expect(serverOf('http://user:hunter2@127.0.0.1:8080/v1?key=hunter2')).toEqual({ address: '127.0.0.1', port: 8080 });
});

it('has no server without a base URL in the configuration', () => {
  expect(upstreamOf({ type: 'echo', rawOptions: {} })).toEqual({ type: 'echo', server: null });
  expect(serverOf('secret://env/MODEL_URL#value')).toBeNull();
  expect(serverOf('models.internal')).toBeNull();
});
