package dev.headgate.wire;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;

/** What a client might say to the wire port that no driver says: messages that are nearly right, and bytes that are not. */
public final class HostileMessages {

    private static final String TYPES = "QPBDECSHXFdcfpPBDECSQ";

    private static final String[] WORDS = {
        "select 1",
        "select",
        "begin",
        "commit",
        "rollback",
        "savepoint a",
        "rollback to a",
        "set work_mem = '1MB'",
        "set local",
        "set",
        "reset all",
        "reset",
        "discard all",
        "discard",
        "deallocate all",
        "deallocate a",
        "prepare a as select $1",
        "execute a(1)",
        "listen a",
        "unlisten *",
        "declare c cursor for select 1",
        "copy in",
        "copy out",
        "copy a from stdin",
        "rows 9",
        "fail",
        "sleep",
        "gone",
        "literal",
        "table",
        "create temp table a (b int)",
        "set_config(",
        "select set_config('work_mem', $1, false)",
        "select set_config('a', 'b', true)",
        "pg_advisory_lock(1)",
        "set session authorization x",
        "set role none",
        "start transaction",
        "end",
        "abort",
        "commit and chain",
        "prepare transaction 'a'",
        "do $$begin end$$",
        "show work_mem",
        "lock",
        "call p()",
        "'",
        "''",
        "\"",
        "$$",
        "$a$",
        "$a$ $b$",
        "/*",
        "*/",
        "/* /* */",
        "--",
        "--\n",
        ";",
        ";;",
        "\\",
        "E'\\'",
        "U&'\\0041'",
        "U&\"a\" uescape '!'",
        "(",
        ")",
        "$1",
        "$0",
        "$99999999999",
        "::",
        ":",
        "=",
        "to",
        "default",
        ",",
        "\n",
        "\t",
        "\u000b",
        "\0",
        "\u00ff",
        "\u00c3",
        "x'",
        "b'1'",
        "n'a'",
        "1e",
        "0x",
        "headgate_1",
        "headgate_",
        "headgate_999999999999999999999",
        "DateStyle",
        "client_encoding",
        "application_name",
        "xmloption"
    };

    private static final String[] NAMES = {"", "a", "b", "headgate_1", "headgate_2", "\u00e9", " ", "S", "x".repeat(300)
    };

    private static final int[] NUMBERS = {
        0,
        1,
        -1,
        2,
        3,
        4,
        5,
        7,
        8,
        127,
        128,
        255,
        256,
        32767,
        32768,
        65535,
        65536,
        1 << 20,
        (1 << 30) - 1,
        Integer.MAX_VALUE,
        Integer.MAX_VALUE - 4,
        Integer.MIN_VALUE,
        Integer.MIN_VALUE + 3,
        10_000,
        80877102,
        80877103,
        80877104,
        196608,
        196610
    };

    private HostileMessages() {}

    /** Bytes of several messages after the login, some of them spoilt. */
    public static byte[] conversation(SplittableRandom random) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int left = 1 + random.nextInt(10); left > 0; left--) {
            byte[] message = message(random);
            all.writeBytes(random.nextInt(4) == 0 ? spoilt(message, random) : message);
            if (random.nextInt(6) == 0) {
                all.writeBytes(message);
            }
        }
        byte[] said = all.toByteArray();
        return random.nextInt(5) == 0 ? spoilt(said, random) : said;
    }

    /** One message whose length is right. */
    public static byte[] message(SplittableRandom random) {
        return switch (random.nextInt(12)) {
            case 0, 1 -> typed('Q', text(sql(random)));
            case 2, 3 -> typed('P', text(name(random)), text(sql(random)), parameterTypes(random));
            case 4, 5 -> typed('B', text(name(random)), text(name(random)), parameters(random));
            case 6 -> typed('E', text(name(random)), int32(number(random)));
            case 7 ->
                typed(
                        random.nextBoolean() ? 'D' : 'C',
                        new byte[] {(byte) "SPSPX\0".charAt(random.nextInt(6))},
                        text(name(random)));
            case 8 -> typed(random.nextBoolean() ? 'S' : 'H');
            case 9 -> typed('F', int32(number(random)), parameters(random));
            case 10 -> typed("dcfp".charAt(random.nextInt(4)), junk(random, 40));
            default ->
                typed(
                        random.nextBoolean()
                                ? TYPES.charAt(random.nextInt(TYPES.length()))
                                : (char) random.nextInt(256),
                        junk(random, random.nextInt(20) == 0 ? 70_000 : 60));
        };
    }

    /** A message without a type, as a connection begins with one. */
    public static byte[] startup(SplittableRandom random) {
        byte[] packet = switch (random.nextInt(6)) {
            case 0 -> untyped(int32(number(random)));
            case 1 -> untyped(int32(80877102), int32(number(random)), int32(number(random)));
            case 2 -> untyped(int32(number(random)), junk(random, 100));
            default -> {
                ByteArrayOutputStream pairs = new ByteArrayOutputStream();
                for (int left = random.nextInt(6); left > 0; left--) {
                    String[] keys = {
                        "user",
                        "database",
                        "options",
                        "application_name",
                        "_pq_.x",
                        "client_encoding",
                        "DateStyle",
                        "replication",
                        ""
                    };
                    String[] values = {
                        "app",
                        "bank",
                        "headgate",
                        "-c work_mem=1MB",
                        "-c",
                        "--a=b -c \\",
                        "true",
                        "\u0001",
                        "",
                        "x".repeat(200)
                    };
                    pairs.writeBytes(text(keys[random.nextInt(keys.length)]));
                    pairs.writeBytes(text(values[random.nextInt(values.length)]));
                }
                yield untyped(
                        int32(3 << 16 | (random.nextInt(4) == 0 ? random.nextInt(65536) : 0)),
                        pairs.toByteArray(),
                        new byte[] {0});
            }
        };
        return random.nextInt(3) == 0 ? spoilt(packet, random) : packet;
    }

    /** The bytes with a few of them changed, doubled, missing or cut off. */
    public static byte[] spoilt(byte[] bytes, SplittableRandom random) {
        byte[] now = bytes.clone();
        for (int left = 1 + random.nextInt(3); left > 0 && now.length > 0; left--) {
            int at = random.nextInt(random.nextBoolean() ? Math.min(12, now.length) : now.length);
            switch (random.nextInt(7)) {
                case 0 -> now[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> now[at] = (byte) random.nextInt(256);
                case 2 -> now = Arrays.copyOf(now, at);
                case 3 ->
                    now = joined(
                            Arrays.copyOf(now, at),
                            Arrays.copyOfRange(now, Math.min(now.length, at + 1 + random.nextInt(8)), now.length));
                case 4 ->
                    now = joined(Arrays.copyOf(now, at), junk(random, 12), Arrays.copyOfRange(now, at, now.length));
                case 5 -> now = joined(Arrays.copyOf(now, at), Arrays.copyOfRange(now, at / 2, now.length));
                default -> {
                    if (at + 4 <= now.length) {
                        ByteBuffer.wrap(now).putInt(at, number(random));
                    }
                }
            }
        }
        return now;
    }

    /** A text that looks like SQL here and there. */
    public static String sql(SplittableRandom random) {
        StringBuilder sql = new StringBuilder();
        for (int left = random.nextInt(9); left >= 0; left--) {
            sql.append(WORDS[random.nextInt(WORDS.length)]);
            if (random.nextInt(4) > 0) {
                sql.append(random.nextInt(5) == 0 ? ";" : " ");
            }
        }
        if (random.nextInt(40) == 0) {
            sql.append(WORDS[random.nextInt(WORDS.length)].repeat(1 + random.nextInt(5_000)));
        }
        return sql.toString();
    }

    private static String name(SplittableRandom random) {
        return NAMES[random.nextInt(random.nextInt(3) == 0 ? NAMES.length : 3)];
    }

    private static int number(SplittableRandom random) {
        return random.nextInt(8) == 0 ? random.nextInt() : NUMBERS[random.nextInt(NUMBERS.length)];
    }

    private static byte[] parameterTypes(SplittableRandom random) {
        return random.nextBoolean() ? new byte[2] : joined(int16(number(random)), junk(random, 20));
    }

    /** Formats, values and result formats of a Bind; the counts seldom fit. */
    private static byte[] parameters(SplittableRandom random) {
        if (random.nextBoolean()) {
            return new byte[6];
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(int16(random.nextBoolean() ? 0 : number(random)));
        int count = random.nextInt(3);
        all.writeBytes(int16(random.nextInt(3) == 0 ? number(random) : count));
        for (int i = 0; i < count; i++) {
            byte[] value = junk(random, 12);
            all.writeBytes(int32(random.nextInt(3) == 0 ? number(random) : value.length));
            all.writeBytes(value);
        }
        all.writeBytes(int16(random.nextBoolean() ? 0 : number(random)));
        return all.toByteArray();
    }

    public static byte[] junk(SplittableRandom random, int most) {
        byte[] bytes = new byte[random.nextInt(most + 1)];
        random.nextBytes(bytes);
        return bytes;
    }

    public static byte[] typed(char type, byte[]... parts) {
        byte[] body = joined(parts);
        return joined(new byte[] {(byte) type}, int32(4 + body.length), body);
    }

    public static byte[] untyped(byte[]... parts) {
        byte[] body = joined(parts);
        return joined(int32(4 + body.length), body);
    }

    public static byte[] text(String text) {
        return (text + '\0').getBytes(text.contains("\u00ff") ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8);
    }

    public static byte[] int32(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private static byte[] int16(int number) {
        return ByteBuffer.allocate(2).putShort((short) number).array();
    }

    public static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
