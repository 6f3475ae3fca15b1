package dev.headgate.wire.loop;

import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.wire.TlsEngines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import org.jspecify.annotations.Nullable;

/**
 * TLS over a channel that does not block, as the server, by any {@link SSLEngine}. Belongs to the loop's thread.
 *
 * <h2>Buffers</h2>
 *
 * Records are built and taken apart in buffers of the loop. A connection of its own keeps only received bytes that could
 * not be decrypted yet ({@code kept}) and records that the socket did not take ({@code unsent}). No client makes
 * {@code unsent} grow without bound: application data is encrypted only while it is empty, and a client that makes the
 * engine answer again and again without reading the answers is cut off.
 *
 * <h2>Tasks</h2>
 *
 * The engine's delegated tasks (signatures, key exchange) run elsewhere. Until they come back the engine is not touched
 * and the socket is not watched for reading. What they throw fails the connection.
 *
 * <h2>Renegotiation</h2>
 *
 * There is one handshake. The engine's wish for another one after it, at the client's request, ends the connection.
 *
 * <h2>Clients that do not ask</h2>
 *
 * A client may start the handshake as the first thing, without asking in the protocol first. It must then agree on the protocol's name
 * (ALPN), so that what was meant for a server of another protocol is not taken for a client of this one. Otherwise the connection
 * ends before anything of the client is taken.
 */
final class Tls {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** The most plaintext that fits into a record. */
    private static final int RECORD = 16 * 1024;

    /** The longest record: with the most that encryption may add, and its header (RFC 5246, section 6.2). */
    private static final int LONGEST_RECORD = RECORD + 2048 + 5;

    /** How many bytes of the engine's own messages may wait for a client that does not read. */
    private static final int MOST_UNREAD = 64 * 1024;

    /** Closing takes one or two alerts. */
    private static final int MOST_LAST_RECORDS = 4;

    private final SSLEngine engine;
    private final Runnable release;
    private final SocketChannel channel;
    private final Loop loop;
    private final Runnable moved;
    private final Consumer<Runnable> elsewhere;

    /** Whether the client must agree on the protocol's name. */
    private final boolean mustAgree;

    private final FrameWriter.Sink encrypting = this::encrypt;

    /** Received bytes that are not decrypted yet: a part of a record, or records for which there was no room or time. */
    private byte @Nullable [] kept;

    /** Records that the socket has not accepted. */
    private @Nullable ByteBuffer unsent;

    /** Thrown by the next read or write, if a task failed. */
    private @Nullable IOException failure;

    private boolean holdsMore;
    private boolean busyElsewhere;
    private boolean established;
    private boolean ended;
    private boolean closed;

    /**
     * @param hello what a client that did not ask for TLS has sent of its handshake so far, at most the loop's scratch; empty for one
     *     that asked
     * @param release frees the engine; called once, when the connection is closed and no task runs
     */
    Tls(
            SSLEngine engine,
            byte[] hello,
            Runnable release,
            SocketChannel channel,
            Loop loop,
            Runnable moved,
            Consumer<Runnable> elsewhere) {
        this.engine = engine;
        this.release = release;
        this.channel = channel;
        this.loop = loop;
        this.moved = moved;
        this.elsewhere = elsewhere;
        this.mustAgree = hello.length > 0;
        if (mustAgree) {
            kept = hello;
            holdsMore = true;
        }
    }

    /** Whether {@link #read} has a result without new bytes from the socket. */
    boolean holdsMore() {
        return holdsMore && !busyElsewhere;
    }

    /** Whether received bytes can be processed now. */
    boolean canRead() {
        return !busyElsewhere;
    }

    /** Bytes that wait to be decrypted or sent. */
    int kept() {
        byte[] undecrypted = kept;
        ByteBuffer waiting = unsent;
        return (undecrypted == null ? 0 : undecrypted.length) + (waiting == null ? 0 : waiting.capacity());
    }

    /** Whether {@link #write} can use a writable socket. */
    boolean canWrite() {
        return unsent != null || (established && !busyElsewhere);
    }

    /** The server's certificate in this handshake, or in that of the session that this one resumes. Empty before, or if the engine does not tell. */
    Optional<X509Certificate> certificate() {
        Certificate[] chain = engine.getSession().getLocalCertificates();
        return chain != null && chain.length > 0 && chain[0] instanceof X509Certificate own
                ? Optional.of(own)
                : Optional.empty();
    }

    // ---- from the client

    /** As {@link ClientSocket#read}. */
    int read(FrameReader into, int most) throws IOException {
        failIfBroken();
        if (busyElsewhere) {
            return 0;
        }
        ByteBuffer arrived = loop.tlsBuffers().arrived.clear();
        byte[] before = kept;
        if (before != null) {
            arrived.put(before);
            kept = null;
        }
        int room = Math.max(most, LONGEST_RECORD); // a record that is not complete cannot be decrypted
        arrived.limit(Math.clamp(room, arrived.position(), arrived.capacity()));
        int got = holdsMore ? 0 : channel.read(arrived);
        arrived.flip();
        holdsMore = false;
        int decrypted = unwrap(arrived, into);
        if (arrived.hasRemaining() && !ended) {
            byte[] rest = new byte[arrived.remaining()];
            arrived.get(rest);
            kept = rest;
        }
        if (decrypted > 0) {
            holdsMore |= ended; // the next read reports it, whether or not the client closes its socket
            return decrypted;
        }
        return got < 0 || ended ? -1 : 0;
    }

    private int unwrap(ByteBuffer arrived, FrameReader into) throws IOException {
        ByteBuffer clear = loop.tlsBuffers().clear.clear();
        try {
            decrypt(arrived, clear);
            int decrypted = clear.position();
            if (decrypted > 0) {
                clear.flip().get(loop.scratch(), 0, decrypted);
                into.feed(loop.scratch(), 0, decrypted);
            }
            return decrypted;
        } finally {
            loop.tlsBuffers().wipeClear(clear.position());
        }
    }

    private void decrypt(ByteBuffer arrived, ByteBuffer clear) throws IOException {
        boolean going = arrived.hasRemaining();
        while (going && !busyElsewhere) {
            SSLEngineResult result = engine.unwrap(arrived, clear);
            // the answer to a close_notify is part of closing
            boolean answered = result.getStatus() != Status.CLOSED && answer(result.getHandshakeStatus());
            switch (result.getStatus()) {
                case OK -> {
                    if (result.bytesConsumed() == 0 && !answered) {
                        throw new IOException("TLS does not go on: " + result.getHandshakeStatus());
                    }
                    going = arrived.hasRemaining();
                }
                case BUFFER_OVERFLOW -> {
                    if (clear.position() == 0) {
                        throw new IOException("a TLS record is longer than any may be");
                    }
                    holdsMore = true; // after the received bytes have been read
                    going = false;
                }
                case BUFFER_UNDERFLOW -> going = false;
                case CLOSED -> {
                    ended = true;
                    going = false;
                }
            }
        }
    }

    // ---- the engine's own messages

    /** Sends the engine's own messages and starts its tasks. @return whether there were any */
    private boolean answer(HandshakeStatus first) throws IOException {
        HandshakeStatus status = noted(first);
        if (status == HandshakeStatus.NEED_WRAP) {
            status = speak();
        }
        if (status == HandshakeStatus.NEED_TASK) {
            if (established) {
                throw new IOException("a client may not renegotiate TLS");
            }
            compute();
        }
        return first == HandshakeStatus.NEED_WRAP || status == HandshakeStatus.NEED_TASK;
    }

    private HandshakeStatus speak() throws IOException {
        loop.tlsBuffers().leaving.clear();
        try {
            SSLEngineResult result = wrap(NOTHING.duplicate());
            while (result.getHandshakeStatus() == HandshakeStatus.NEED_WRAP && result.getStatus() == Status.OK) {
                result = wrap(NOTHING.duplicate());
            }
            return result.getHandshakeStatus();
        } finally {
            send(); // also the alert that precedes an exception
        }
    }

    private HandshakeStatus noted(HandshakeStatus status) throws IOException {
        if (status == HandshakeStatus.FINISHED && !established) {
            established = true;
            if (mustAgree && !TlsEngines.PROTOCOL.equals(engine.getApplicationProtocol())) {
                throw new IOException("a client that starts TLS at once must offer " + TlsEngines.PROTOCOL + " (ALPN)");
            }
        }
        return status;
    }

    /** Builds a record after those to be sent. Sends those first if there is no room. */
    private SSLEngineResult wrap(ByteBuffer clear) throws IOException {
        ByteBuffer leaving = loop.tlsBuffers().leaving;
        SSLEngineResult result = engine.wrap(clear, leaving);
        if (result.getStatus() == Status.BUFFER_OVERFLOW) {
            send();
            result = engine.wrap(clear, leaving);
        }
        if (result.getStatus() == Status.BUFFER_OVERFLOW
                || (result.getHandshakeStatus() == HandshakeStatus.NEED_WRAP
                        && result.getStatus() == Status.OK
                        && result.bytesProduced() == 0)) {
            throw new IOException("TLS cannot send: " + result.getStatus());
        }
        noted(result.getHandshakeStatus());
        return result;
    }

    private void compute() throws IOException {
        busyElsewhere = true;
        try {
            elsewhere.accept(() -> {
                Throwable thrown = null;
                try {
                    for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
                        task.run();
                    }
                } catch (RuntimeException | Error e) {
                    thrown = e;
                }
                Throwable outcome = thrown;
                loop.execute(() -> goOn(outcome));
            });
        } catch (RuntimeException | Error e) {
            busyElsewhere = false;
            throw new IOException("a TLS handshake cannot be computed", e);
        }
    }

    private void goOn(@Nullable Throwable thrown) {
        busyElsewhere = false;
        if (closed) {
            release.run();
            return;
        }
        holdsMore = kept != null;
        try {
            if (thrown != null) {
                throw new IOException("a TLS handshake failed", thrown);
            }
            answer(engine.getHandshakeStatus());
        } catch (IOException e) {
            failure = e;
        } catch (RuntimeException e) {
            failure = new IOException("a TLS handshake failed", e);
        }
        moved.run();
    }

    private void failIfBroken() throws IOException {
        IOException broken = failure;
        if (broken != null) {
            throw broken;
        }
    }

    // ---- to the client

    /** As {@link ClientSocket#write}. */
    boolean write(FrameWriter from) throws IOException {
        failIfBroken();
        if (!flush()) {
            return false;
        }
        if (from.size() == 0) {
            return true;
        }
        if (!established || busyElsewhere) {
            return false;
        }
        loop.tlsBuffers().leaving.clear();
        boolean drained = from.drain(encrypting);
        send();
        return drained && unsent == null;
    }

    private int encrypt(byte[] bytes, int offset, int count) throws IOException {
        ByteBuffer clear = loop.tlsBuffers().clear;
        int taken = 0;
        while (taken < count && unsent == null) {
            int given = Math.min(count - taken, RECORD);
            clear.clear().put(bytes, offset + taken, given);
            SSLEngineResult result = wrap(clear.flip());
            loop.tlsBuffers().wipeClear(given);
            if (result.getStatus() != Status.OK || (result.bytesConsumed() == 0 && result.bytesProduced() == 0)) {
                throw new IOException("TLS cannot send: " + result.getStatus() + ", " + result.getHandshakeStatus());
            }
            taken += result.bytesConsumed();
        }
        return taken;
    }

    /** Sends the records. Keeps what the socket does not accept. */
    private void send() throws IOException {
        ByteBuffer leaving = loop.tlsBuffers().leaving.flip();
        try {
            ByteBuffer waiting = unsent;
            if (waiting == null && leaving.hasRemaining()) {
                channel.write(leaving);
            }
            if (leaving.hasRemaining()) {
                int held = waiting == null ? 0 : waiting.remaining();
                ByteBuffer all = ByteBuffer.allocate(held + leaving.remaining());
                if (waiting != null) {
                    all.put(waiting);
                }
                unsent = all.put(leaving).flip();
                if (held > MOST_UNREAD) {
                    throw new IOException("a client does not read what TLS has to say");
                }
            }
        } finally {
            leaving.clear();
        }
    }

    /** Sends the bytes that the socket did not accept before. @return whether all are sent */
    private boolean flush() throws IOException {
        ByteBuffer waiting = unsent;
        if (waiting != null) {
            channel.write(waiting);
            if (waiting.hasRemaining()) {
                return false;
            }
            unsent = null;
        }
        return true;
    }

    /** Sends the closing alert if there is room for it, and frees the engine. */
    void close() throws IOException {
        closed = true;
        if (busyElsewhere) {
            return; // freed when the task returns
        }
        try {
            if (unsent == null) {
                sayGoodbye();
            }
        } finally {
            release.run();
        }
    }

    private void sayGoodbye() throws IOException {
        loop.tlsBuffers().leaving.clear();
        engine.closeOutbound();
        try {
            SSLEngineResult result = wrap(NOTHING.duplicate());
            for (int i = 1;
                    i < MOST_LAST_RECORDS
                            && result.getStatus() == Status.OK
                            && result.getHandshakeStatus() == HandshakeStatus.NEED_WRAP;
                    i++) {
                result = wrap(NOTHING.duplicate());
            }
        } finally {
            send();
        }
    }
}
