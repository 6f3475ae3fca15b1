/**
 * The stream: what happens in the pools, sent to every browser that watches, over a WebSocket at {@code /api/v1/stream}.
 *
 * <pre>
 *   governor -> feed -> Broadcaster -> Slicer (one per rate) -> Mailbox (one per client) -> Client -> socket
 * </pre>
 *
 * <p>Up to the mailbox everything runs on the feed's thread and nothing waits; from there on each client has a virtual
 * thread of its own. A reader that is slow therefore costs what lies in its mailbox and nothing else, and that is bounded:
 * see {@link dev.headgate.server.live.Mailbox}.
 */
@NullMarked
package dev.headgate.server.live;

import org.jspecify.annotations.NullMarked;
