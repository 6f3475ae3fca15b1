package dev.headgate.server.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.IntStream;

/** The port of an embedded server: chosen at the first start and kept in a file, so that addresses stay as they are. */
record PortChoice(InetAddress address, Path file) {

    /** The stored port; if it is in use, the first free one from 5433; else any free one. */
    int choose() throws IOException {
        Optional<Integer> remembered = remembered();
        if (remembered.isPresent() && isFree(remembered.get())) {
            return remembered.get();
        }
        return IntStream.range(5433, 5500)
                .filter(candidate -> !remembered.equals(Optional.of(candidate)))
                .filter(this::isFree)
                .findFirst()
                .orElseGet(this::anyFree);
    }

    private Optional<Integer> remembered() throws IOException {
        try {
            return Optional.of(Integer.valueOf(Files.readString(file).strip()));
        } catch (NoSuchFileException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    private boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(address, port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private int anyFree() {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(address, 0));
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The server has started on it. */
    void remember(int port) throws IOException {
        Files.writeString(file, port + "\n");
    }
}
