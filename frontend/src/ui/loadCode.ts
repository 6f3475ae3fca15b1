/** The code of a part of the dashboard did not arrive: the service is away, or a newer version has other files. */
export class CodeMissing extends Error {
  override readonly name = "CodeMissing";
}

/** Imports a part's code. Fails with `CodeMissing`, so that the page can say what happened and load itself again. */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new CodeMissing("A part of this page could not be loaded. Load the page again.", { cause });
  }
}
