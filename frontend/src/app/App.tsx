import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { Problem } from "@/api/problem";
import { Gate } from "./Gate";
import { router } from "./router";
import { theme, variables } from "./theme";

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The stream goes on while the page is out of sight, and its events say what has changed.
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && !(error instanceof Problem),
    },
  },
});

const schemes = localStorageColorSchemeManager({ key: "headgate.scheme" });

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      colorSchemeManager={schemes}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={queries}>
        <Gate>
          <RouterProvider router={router} />
        </Gate>
      </QueryClientProvider>
    </MantineProvider>
  );
}
