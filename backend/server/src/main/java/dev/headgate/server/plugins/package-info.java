/**
 * The plugins that policies come from: installed, uploaded and removed, each version in a class loader of its own. {@link
 * dev.headgate.server.plugins.PluginCatalog} lists them. Who uses a plugin is asked through {@link
 * dev.headgate.server.plugins.PluginUsers}; nothing here knows a policy set.
 */
@NullMarked
package dev.headgate.server.plugins;

import org.jspecify.annotations.NullMarked;
