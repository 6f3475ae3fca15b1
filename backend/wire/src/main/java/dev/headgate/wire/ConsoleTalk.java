package dev.headgate.wire;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.Fields;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.ProtocolException;

/**
 * A client of the console. Executes its simple queries one at a time, on a virtual thread because they may block; that ends when the
 * client has left. The bytes of its answers are reserved until it has taken them; a client that does not take them is not read any further.
 */
final class ConsoleTalk implements Conversation {

    private static final int MOST_BYTES = 8192;

    /** With so many bytes that the client has not taken, its next command waits. */
    private static final int MOST_UNTAKEN = 64 * 1024;

    private final ClientLine client;
    private final Console console;
    private final MemoryAccount.Share memory;
    private final Supervisor supervisor;
    private boolean executing;

    /** Also read by the thread of a command. */
    private volatile boolean left;

    private boolean skipping;

    /** @param memory of the answers; the caller closes it when the client is gone */
    ConsoleTalk(ClientLine client, Console console, MemoryAccount.Share memory, Supervisor supervisor) {
        this.client = client;
        this.console = console;
        this.memory = memory;
        this.supervisor = supervisor;
    }

    void welcome() {
        console.greet(client.out);
        ready(client.out);
    }

    private static void ready(FrameWriter to) {
        to.message('Z', (byte) 'I');
    }

    /** While a command is executed the next ones wait in the reader: it is read so that the client's end is seen. */
    @Override
    public int wanted() {
        if (executing) {
            return Math.max(0, MOST_BYTES - client.in.buffered());
        }
        return mayGoOn() ? MOST_BYTES : 0;
    }

    private boolean mayGoOn() {
        return !executing && !client.isClosed() && client.out.size() < MOST_UNTAKEN;
    }

    @Override
    public void received() throws ProtocolException {
        FrameReader in = client.in;
        while (mayGoOn() && (in.isOpen() || in.next())) {
            if (in.length() > MOST_BYTES) {
                throw new ProtocolException("54000", "a message of the console may have " + MOST_BYTES + " bytes");
            }
            if (!in.has(in.length())) {
                return;
            }
            char type = in.type();
            byte[] body = in.peek(MOST_BYTES);
            in.close();
            take(type, body);
        }
        if (!executing && !mayGoOn()) {
            client.loop.execute(client, this::goOn); // what was written is not sent yet
        }
    }

    @Override
    public void drained() {
        goOn();
    }

    /** Sends what it can, and takes the commands that have come already. */
    private void goOn() {
        client.settle();
        if (!executing) { // else an answer is reserved that is not written yet
            memory.release(Math.max(0, memory.reserved() - client.out.size()));
        }
        if (mayGoOn()) {
            client.receiveAgain();
            client.settle();
        }
    }

    private void take(char type, byte[] body) throws ProtocolException {
        switch (type) {
            case 'X' -> client.close();
            case 'Q' -> execute(FrameReader.cString(body, 0));
            case 'S' -> {
                skipping = false;
                ready(client.out);
            }
            default -> {
                if (!skipping) {
                    skipping = true;
                    Fields.error(client.out, "ERROR", "0A000", "the console takes simple queries; see SHOW HELP", "");
                }
            }
        }
    }

    private void execute(String command) {
        executing = true;
        Thread _ = supervisor.start("wire-console", Thread.ofVirtual().name("wire-console"), () -> {
            byte[] answer;
            try {
                answer = whole(console.execute(command, () -> left));
            } catch (RuntimeException | Error fault) {
                answer = error("XX000", fault.toString());
            }
            if (left) {
                return;
            }
            if (!memory.tryReserve(answer.length)) {
                answer = error(
                        "53200",
                        "there is no room for this answer of " + answer.length + " bytes now; try again later");
            }
            byte[] said = answer;
            client.loop.execute(client, () -> answered(said));
        });
    }

    private static byte[] error(String sqlState, String message) {
        FrameWriter error = new FrameWriter(new Buffers());
        Fields.error(error, "ERROR", sqlState, message, "");
        return whole(error);
    }

    /** The bytes of an answer and of its end. */
    private static byte[] whole(FrameWriter answer) {
        ready(answer);
        return answer.bytes();
    }

    private void answered(byte[] answer) {
        executing = false;
        if (!client.isClosed()) {
            client.out.write(answer);
            goOn();
        }
    }

    @Override
    public void gone() {
        left = true;
        client.close();
    }

    @Override
    public void abandon() {
        left = true;
    }

    @Override
    public void stop() {
        left = true;
        Fields.error(client.out, "FATAL", "57P01", "Headgate is stopping", "");
        client.close();
    }
}
