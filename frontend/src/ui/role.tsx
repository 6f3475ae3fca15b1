/** What the role of the session allows in the page. The service checks every request by itself. */
import { createContext, type ReactNode, useContext } from "react";

/** Whether the session may change anything. A reader may not. */
export const MayChange = createContext(true);

export const useMayChange = () => useContext(MayChange);

/** Controls that change something in the service. A reader does not see them. */
export function Changes({ children }: { children: ReactNode }) {
  return useMayChange() ? children : null;
}
