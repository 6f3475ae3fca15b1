/**
 * The lab: experiments that are run on request, one at a time, on a PostgreSQL server of their own, and whose reports are kept in the
 * store.
 */
@NullMarked
package dev.headgate.server.experiments;

import org.jspecify.annotations.NullMarked;
