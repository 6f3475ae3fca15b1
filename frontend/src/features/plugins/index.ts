export { PluginList } from "./PluginList";
