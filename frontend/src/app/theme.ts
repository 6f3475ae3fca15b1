import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

const accent: MantineColorsTuple = [
  "#e3f0f8",
  "#c5e0f0",
  "#9ccbe6",
  "#7ec0ee",
  "#56b4e9",
  "#2a93d1",
  "#0072b2",
  "#00659e",
  "#005585",
  "#00466e",
];

/** Maps our design tokens to Mantine's colours, sizes and lines. */
export const theme = createTheme({
  fontFamily: "var(--font)",
  fontFamilyMonospace: "var(--mono)",
  primaryColor: "accent",
  primaryShade: { light: 6, dark: 4 },
  colors: { accent },
  defaultRadius: 6,
  focusRing: "auto",
  respectReducedMotion: true,
  fontSizes: { xs: "12px", sm: "13px", md: "13px" },
  components: {
    Drawer: {
      defaultProps: {
        transitionProps: { duration: 0 },
        overlayProps: { backgroundOpacity: 0.25 },
        closeButtonProps: { "aria-label": "Close" },
      },
    },
    Modal: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    Menu: {
      // In place, and without a placeholder between the menu and its items: only so is it a menu in a landmark.
      defaultProps: {
        transitionProps: { duration: 0 },
        shadow: "none",
        withinPortal: false,
        withInitialFocusPlaceholder: false,
      },
    },
  },
});

const shared = {
  "--mantine-color-body": "var(--panel)",
  "--mantine-color-text": "var(--text)",
  "--mantine-color-default": "var(--raised)",
  "--mantine-color-default-border": "var(--line)",
  "--mantine-color-default-hover": "var(--line-soft)",
  "--mantine-color-dimmed": "var(--muted)",
  "--mantine-color-placeholder": "var(--faint-text)",
  "--mantine-color-error": "var(--bad)",
};

export const variables: CSSVariablesResolver = () => ({ variables: {}, light: shared, dark: shared });
