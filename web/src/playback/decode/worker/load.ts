/** Fetches a build of the decoders. */
import { Failed } from './failure';

/**
 * Returns a compiled build.
 *
 * # Errors
 * `unloaded` if it did not arrive completely. The page can then fetch it again.
 */
export async function loadModule(url: string): Promise<WebAssembly.Module> {
  const response = await arrived(fetch(url));
  if (!response.ok) throw new Failed('unloaded', `${url}: ${response.status}`);
  try {
    return await WebAssembly.compileStreaming(response.clone());
  } catch {
    // A proxy changed the type, or the connection broke.
    return compiled(await arrived(response.arrayBuffer()));
  }
}

async function arrived<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw new Failed('unloaded', String(error));
  }
}

async function compiled(bytes: ArrayBuffer): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    // Other bytes than those of the server: a page of a proxy, for example. A lack of memory is another error.
    if (error instanceof WebAssembly.CompileError) throw new Failed('unloaded', error.message);
    throw error;
  }
}
