/** Marks on the charts that people or their tools make: a deploy, a failover, a note. */
@NullMarked
package dev.headgate.server.annotations;

import org.jspecify.annotations.NullMarked;
