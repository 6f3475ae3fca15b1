/** What the service is busy with for its callers: which long requests wait, run or end, and how to cancel one. */
@NullMarked
package dev.headgate.server.longrequests;

import org.jspecify.annotations.NullMarked;
