import { useState } from "react";

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

/** Lets an effect fail as a drawing does: what is thrown reaches the page's error boundary. The function stays the same. */
export function useRaise(): (thrown: unknown) => void {
  const [fault, setFault] = useState<{ thrown: unknown }>();
  const [raise] = useState(() => (thrown: unknown) => setFault({ thrown }));
  if (fault) throw fault.thrown;
  return raise;
}
