package dev.headgate.server.live;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.server.api.ConnectionColumns;
import io.github.bucket4j.BlockingBucket;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.web.socket.CloseStatus;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * One client's thread: takes the content of its mailbox, encodes, numbers and sends it. Only this thread writes to the line, so the
 * numbers have no gap even if values were merged or dropped before.
 */
final class Client implements Runnable {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** What a frame takes while it is sent, beside its slice: its part, and the seconds of the domain that is being written. */
    static final long FRAME_BYTES = 128 * 1024;

    /** 1013, "try again later". */
    static final CloseStatus NO_ROOM =
            CloseStatus.SERVICE_OVERLOAD.withReason("there is no memory for this frame now; try again later");

    static final CloseStatus UNAUTHENTICATED = new CloseStatus(4401, "a token or a session is needed");

    /**
     * The parts that all clients share.
     *
     * @param bookmarkEvery the longest time between two frames
     * @param widePace what all clients of many domains together may be sent: a token for each character of their frames
     */
    record Station(
            String node,
            String epoch,
            String version,
            Duration bookmarkEvery,
            Clock clock,
            JsonMapper mapper,
            Snapshots snapshots,
            StreamCounts counts,
            BlockingBucket widePace) {}

    private final Station station;
    private final Mailbox mailbox;
    private final Line line;

    /** The same line, for the frames of many domains. */
    private final Line paced;

    private final ClientMemory memory;
    private long seq;
    private Instant lastValues;

    /** @param memory for the frames, while they are sent */
    Client(Station station, Mailbox mailbox, Line line, ClientMemory memory) {
        this.memory = memory;
        this.station = station;
        this.mailbox = mailbox;
        this.line = line;
        this.paced = new PacedLine(line, station.widePace());
        this.lastValues = station.clock().instant();
    }

    /** Serves the client until the line is dead or the mailbox closes the session. */
    @Override
    public void run() {
        try {
            send(hello(), null);
            while (true) {
                Mailbox.Mail mail = mailbox.take(station.bookmarkEvery().toNanos());
                if (!line.isAllowed()) {
                    line.close(UNAUTHENTICATED);
                    return;
                }
                if (!deliver(mail)) {
                    return;
                }
            }
        } catch (NoRoom e) {
            line.close(NO_ROOM);
        } catch (IOException e) {
            line.close(CloseStatus.SESSION_NOT_RELIABLE);
        } catch (RuntimeException e) {
            line.close(CloseStatus.SERVER_ERROR);
            throw e;
        } catch (InterruptedException e) {
            line.close(CloseStatus.GOING_AWAY);
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the line is still open. */
    private boolean deliver(Mailbox.Mail mail) throws IOException {
        if (mail.close() != null) {
            line.close(mail.close());
            return false;
        }
        List<Event> told = List.of();
        Subscription subscription = mail.subscription();
        if (mail.snapshot() && subscription != null) {
            Instant now = station.clock().instant();
            Frame.Snapshot snapshot = station.snapshots().of(subscription, station.node(), ++seq, now);
            send(snapshot, subscription);
            told = snapshot.events();
            lastValues = now;
        }
        for (Event event : mail.events()) {
            if (mailbox.closing()) {
                return true; // the next turn reads the reason
            }
            if (!told.contains(event)) {
                send(new Frame.Happened(station.node(), ++seq, event), subscription);
            }
        }
        if (mail.slice() != null && subscription != null) {
            send(
                    delta(mail.slice(), subscription),
                    subscription,
                    FRAME_BYTES + mail.slice().bytes());
            lastValues = mail.slice().time();
        }
        if (mail.isEmpty()) {
            send(
                    new Frame.Bookmark(
                            "bookmark", station.node(), ++seq, station.clock().instant()),
                    subscription);
        }
        return true;
    }

    private Frame hello() {
        return new Frame.Hello(
                "hello", station.node(), station.epoch(), 1, station.clock().instant(), station.version());
    }

    private Frame delta(Slice slice, Subscription subscription) {
        Map<String, Encoded<ConnectionColumns>> connections = new HashMap<>();
        slice.domains().forEach((name, domain) -> {
            if (domain.columns() != null && subscription.coversConnections(name)) {
                connections.put(name, domain.columns());
            }
        });
        return new Frame.Delta(
                "delta",
                station.node(),
                ++seq,
                slice.time(),
                lastValues,
                slice.domains().values().stream().map(Slice.Domain::delta).toList(),
                slice.seconds(),
                List.copyOf(slice.databases().values()),
                connections,
                slice.summary() == null || subscription.summary() == null
                        ? null
                        : slice.summary().part(subscription.summary()));
    }

    private void send(Frame frame, @Nullable Subscription subscription) throws IOException {
        send(frame, subscription, FRAME_BYTES);
    }

    /** @param bytes that are held until the client has read the frame */
    private void send(Frame frame, @Nullable Subscription subscription, long bytes) throws IOException {
        MemoryAccount.Share room = memory.of(subscription);
        if (!room.tryReserve(bytes, PATIENCE)) {
            throw new NoRoom();
        }
        try {
            write(frame, new PartWriter(subscription != null && subscription.isWide() ? paced : line));
        } finally {
            room.release(bytes);
        }
        station.counts().sent();
    }

    private void write(Frame frame, PartWriter writer) throws IOException {
        try {
            station.mapper().writeValue(writer, frame);
        } catch (JacksonException e) {
            writer.check();
            throw e;
        }
        writer.end();
    }

    /** There is no memory for a frame. */
    private static final class NoRoom extends IOException {
        private static final long serialVersionUID = 1;
    }
}
