package dev.headgate.wire;

import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.ProtocolException;
import java.lang.System.Logger;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client from its connect until it is admitted or refused: perhaps a request for encryption, or the start of TLS without one, then a
 * cancel request, or a startup message and the proof of a password.
 */
final class Arrival implements Conversation {

    /** What the port does for an arriving client. On the client's loop. */
    interface Reception {
        /** The exchange that authenticates this client. */
        Login login(Greeting greeting) throws ProtocolException;

        /** The client is authenticated: another conversation takes over. */
        void admit(Greeting greeting) throws ProtocolException;

        /** Cancels a session's current request. The client gets no answer; {@code done} runs afterwards. */
        void cancel(int process, int secret, Runnable done);

        /** Checks a password elsewhere. The refusal, or none if it is right, comes on the client's loop. */
        void check(Login login, String password, Consumer<Optional<ProtocolException>> outcome);

        /** Goes on with a login: at once, or later if logins from the client's address have failed too often. On the client's loop. */
        void inTime(Runnable goesOn);

        /**
         * Starts TLS.
         *
         * @param hello what a client that did not ask for it has sent of its handshake so far; empty for one that did
         */
        void encrypt(TlsEngines tls, byte[] hello);
    }

    private static final int MOST_BYTES = 10_000;
    private static final int CANCEL = 80877102;
    private static final int SSL = 80877103;
    private static final int GSS = 80877104;
    private static final int MOST_WISHES = 3;

    /** The first byte of a TLS handshake. No startup message begins with it: that would be too long. */
    private static final byte HANDSHAKE = 0x16;

    private static final byte[] ASKED = {};
    private static final Logger LOG = System.getLogger(Arrival.class.getName());

    private final ClientLine client;
    private final Reception reception;
    private final Optional<TlsEngines> tls;
    private int wishes;
    private boolean encrypted;
    private boolean cancels;
    private @Nullable Greeting greeting;
    private @Nullable Login login;

    /** A password is being checked, or the login goes on later. */
    private boolean waiting;

    Arrival(ClientLine client, Reception reception, Optional<TlsEngines> tls) {
        this.client = client;
        this.reception = reception;
        this.tls = tls;
    }

    @Override
    public void received() throws ProtocolException {
        FrameReader in = client.in;
        while (!cancels && !waiting) {
            Login present = login;
            if (present == null) {
                if (!takeStartup(in)) {
                    return;
                }
            } else {
                if (!in.isOpen() && !in.next()) {
                    return;
                }
                boolean proved = present.take(in, client.out);
                if (in.isOpen()) {
                    return;
                }
                if (proved && greeting != null) {
                    reception.admit(greeting);
                    return;
                }
                String password = present.takePassword();
                if (password != null) {
                    waiting = true;
                    reception.check(present, password, this::checked);
                }
            }
        }
    }

    private void checked(Optional<ProtocolException> refusal) {
        waiting = false;
        Greeting by = greeting;
        if (client.isClosed() || by == null) {
            return;
        }
        try {
            if (refusal.isPresent()) {
                throw refusal.get();
            }
            Login.accept(client.out);
            reception.admit(by);
        } catch (ProtocolException refused) {
            client.refuse(refused);
        }
        client.in.keep();
        client.settle();
    }

    @Override
    public int wanted() {
        return waiting ? 0 : MOST_BYTES;
    }

    /** Handles a message without a type. @return whether one has arrived */
    private boolean takeStartup(FrameReader in) throws ProtocolException {
        if (wishes == 0 && !encrypted && in.startsWith(HANDSHAKE)) {
            encryptUnasked(in);
            return false;
        }
        byte[] packet;
        try {
            packet = in.untyped(8, MOST_BYTES);
        } catch (ProtocolException unreadable) {
            client.close(); // silently, as PostgreSQL does: a driver that terminates at once, or not a client
            // of it at all
            return false;
        }
        if (packet == null) {
            return false;
        }
        int code = FrameReader.int32(packet, 0);
        if (code == SSL || code == GSS) {
            wish(in, code == SSL);
        } else if (code == CANCEL) {
            if (packet.length != 12) {
                throw new ProtocolException("a cancel request has a process id and a secret");
            }
            cancels = true;
            reception.cancel(FrameReader.int32(packet, 4), FrameReader.int32(packet, 8), client::close);
        } else if (code >>> 16 == 3) {
            byte[] body = new byte[packet.length - 4];
            System.arraycopy(packet, 4, body, 0, body.length);
            greet(Greeting.of(code & 0xffff, body));
        } else {
            throw new ProtocolException(
                    "0A000", "protocol " + (code >>> 16) + "." + (code & 0xffff) + " is not spoken here; 3.0 is");
        }
        return true;
    }

    /** The client has started TLS at once ({@code sslnegotiation=direct}). */
    private void encryptUnasked(FrameReader in) {
        if (tls.isEmpty()) {
            LOG.log(Logger.Level.DEBUG, "A client of the wire port started TLS, for which the port has no certificate");
            client.close();
            return;
        }
        encrypted = true;
        reception.encrypt(tls.get(), in.takeRaw());
    }

    private void wish(FrameReader in, boolean forTls) throws ProtocolException {
        if (++wishes > MOST_WISHES) {
            throw new ProtocolException("encryption was asked for again and again");
        }
        if (!forTls || tls.isEmpty() || encrypted) {
            client.out.put('N');
            return;
        }
        if (in.buffered() > 0) { // else plain text would count as received under TLS
            throw new ProtocolException("something was sent before TLS was agreed on");
        }
        encrypted = true;
        client.out.put('S');
        client.settle(); // the last byte in plain text
        if (client.out.size() > 0) {
            throw new ProtocolException("nothing is read that is sent");
        }
        if (!client.isClosed()) {
            reception.encrypt(tls.get(), ASKED);
        }
    }

    private void greet(Greeting by) throws ProtocolException {
        greeting = by;
        if (by.minor() > 0 || !by.unknownOptions().isEmpty()) {
            negotiate(by, client.out);
        }
        login = reception.login(by);
        waiting = true;
        reception.inTime(this::demand);
    }

    private void demand() {
        waiting = false;
        if (login != null) {
            login.demand(client.out);
        }
    }

    private static void negotiate(Greeting greeting, FrameWriter out) {
        int length = 8;
        for (String option : greeting.unknownOptions()) {
            length += FrameWriter.sizeOf(option);
        }
        out.header('v', length).int32(3 << 16).int32(greeting.unknownOptions().size());
        greeting.unknownOptions().forEach(out::cString);
    }

    @Override
    public void gone() {
        client.close();
    }

    @Override
    public void abandon() {
        // it holds nothing
    }

    @Override
    public void stop() {
        client.closeNow();
    }
}
