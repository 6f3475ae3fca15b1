package dev.headgate.bench.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class SqlReaderTest {

    private static final String END =
            "{\"end\":{\"rows\":2,\"elapsedMs\":1.0,\"waitedMs\":0.0,\"connection\":\"a-1\"}}\n";

    /** Reads an answer in these chunks. */
    private static SqlReader.Reading reading(List<String> chunks) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            FutureTask<Void> serving = new FutureTask<>(() -> {
                try (Socket socket = server.accept()) {
                    InputStream in = socket.getInputStream();
                    StringBuilder asked = new StringBuilder();
                    while (asked.indexOf("\r\n\r\n{}") < 0) {
                        asked.append((char) in.read());
                    }
                    StringBuilder answer = new StringBuilder("HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n");
                    for (String chunk : chunks) {
                        answer.append(Integer.toHexString(chunk.length()))
                                .append("\r\n")
                                .append(chunk)
                                .append("\r\n");
                    }
                    socket.getOutputStream()
                            .write(answer.append("0\r\n\r\n").toString().getBytes(StandardCharsets.US_ASCII));
                }
                return null;
            });
            Thread.ofVirtual().start(serving);
            try (SqlReader reader = new SqlReader(server.getLocalPort(), "/", "", "{}")) {
                SqlReader.Reading reading = reader.read(0);
                serving.get();
                return reading;
            }
        }
    }

    @Test
    void aWholeAnswerEndsWithItsRecord() throws Exception {
        SqlReader.Reading whole = reading(List.of("[\"" + "x".repeat(2_000) + "\"]\n[2]\n" + END));
        assertThatCode(() -> whole.requireRows(2)).doesNotThrowAnyException();
        assertThatThrownBy(() -> whole.requireRows(3)).isInstanceOf(IOException.class);
        assertThat(whole.bytes()).isEqualTo(2_009 + END.length());
        SqlReader.Reading inPieces = reading(List.of("[1]\n", "[2]\n", END.substring(0, 9), END.substring(9)));
        assertThatCode(() -> inPieces.requireRows(2)).doesNotThrowAnyException();
    }

    @Test
    void anAnswerThatEndsWithAnErrorIsNone() throws Exception {
        SqlReader.Reading failed = reading(List.of("[1]\n[2]\n", "{\"error\":{\"code\":\"57014\"}}\n"));
        assertThatThrownBy(() -> failed.requireRows(2)).hasMessageContaining("57014");
    }

    @Test
    void theLastRowOfCsvIsKnown() throws Exception {
        SqlReader.Reading rows = reading(List.of("a,b\r\n1,2\r\n3,4\r\n"));
        assertThatCode(() -> rows.requireLast("3,4")).doesNotThrowAnyException();
        assertThatThrownBy(() -> rows.requireLast("5,6")).isInstanceOf(IOException.class);
    }
}
