package dev.headgate.wire;

import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.Fields;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.ProtocolException;

/** A client of the console. Executes its simple queries one at a time, on a virtual thread because they may block. */
final class ConsoleTalk implements Conversation {

    private static final int MOST_BYTES = 8192;

    private final ClientLine client;
    private final Console console;
    private final Supervisor supervisor;
    private boolean executing;
    private boolean skipping;

    ConsoleTalk(ClientLine client, Console console, Supervisor supervisor) {
        this.supervisor = supervisor;
        this.client = client;
        this.console = console;
    }

    void welcome() {
        console.greet(client.out);
        ready();
    }

    private void ready() {
        client.out.message('Z', (byte) 'I');
    }

    @Override
    public int wanted() {
        return executing ? 0 : MOST_BYTES;
    }

    @Override
    public void received() throws ProtocolException {
        FrameReader in = client.in;
        while (!executing && (in.isOpen() || in.next())) {
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
    }

    private void take(char type, byte[] body) throws ProtocolException {
        switch (type) {
            case 'X' -> client.close();
            case 'Q' -> execute(FrameReader.cString(body, 0));
            case 'S' -> {
                skipping = false;
                ready();
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
                answer = console.execute(command).bytes();
            } catch (RuntimeException | Error fault) {
                FrameWriter error = new FrameWriter(new Buffers());
                Fields.error(error, "ERROR", "XX000", fault.toString(), "");
                answer = error.bytes();
            }
            byte[] said = answer;
            client.loop.execute(client, () -> answered(said));
        });
    }

    private void answered(byte[] answer) {
        executing = false;
        client.out.write(answer);
        ready();
        try {
            received();
        } catch (ProtocolException refused) {
            client.refuse(refused);
        }
        client.in.keep();
        client.settle();
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
        Fields.error(client.out, "FATAL", "57P01", "Headgate is stopping", "");
        client.close();
    }
}
