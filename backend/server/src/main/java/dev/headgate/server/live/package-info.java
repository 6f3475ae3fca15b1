/**
 * The stream: live pool data and events for every connected browser, over a WebSocket at {@code /api/v1/stream}.
 *
 * <pre>
 *   governor -> feed -> Broadcaster -> Slicer (one per rate) -> Mailbox (one per client) -> Client -> socket
 * </pre>
 *
 * <p>Up to the mailbox everything runs on the feed's thread and nothing waits. From there on each client has a virtual thread
 * of its own. So a slow reader costs only the content of its mailbox, which is bounded: see {@link
 * dev.headgate.server.live.Mailbox}.
 */
@NullMarked
package dev.headgate.server.live;

import org.jspecify.annotations.NullMarked;
