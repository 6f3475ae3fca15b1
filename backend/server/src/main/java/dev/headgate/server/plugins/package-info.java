/**
 * The plugins that provide policies: installed, uploaded and removed, each version in a class loader of its own. {@link
 * dev.headgate.server.plugins.PluginCatalog} lists them. {@link dev.headgate.server.plugins.PluginUsers} lists a plugin's users.
 * Nothing here knows a policy set.
 */
@NullMarked
package dev.headgate.server.plugins;

import org.jspecify.annotations.NullMarked;
