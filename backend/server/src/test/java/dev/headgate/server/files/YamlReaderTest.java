package dev.headgate.server.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.Faults;
import java.math.BigInteger;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.core.StreamReadConstraints;

class YamlReaderTest {

    private static final String TOO_LARGE = "makes the files too large with all that their aliases stand for";

    private static final StreamReadConstraints AS_JSON = StreamReadConstraints.builder()
            .maxNestingDepth(50)
            .maxStringLength(100_000)
            .maxNumberLength(100)
            .maxNameLength(1_000)
            .build();

    private Faults faults = new Faults();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "22:30|\"22:30\"",
                "yes|\"yes\"",
                "true|true",
                "2.50|2.5",
                "4294967296|4294967296",
                "'\"5\"'|\"5\"",
                "~|\"~\"",
                "null|null",
                "2026-11-21|\"2026-11-21\"",
            })
    void aScalarIsWhatJsonWouldMakeOfIt(String yaml, String json) {
        assertThat(read("a: " + yaml).getFirst().root().get("a").toString()).isEqualTo(json);
        assertThat(faults.list()).isEmpty();
    }

    /** The parser reads pieces of about a thousand characters. */
    @Test
    void aCharacterOfTwoHalvesIsReadWhereverItIs() {
        for (int before = 1_000; before < 1_050; before++) {
            String text = "x".repeat(before) + "😀".repeat(2_000);
            assertThat(read("a: " + text + "\n").getFirst().root().get("a").asString())
                    .isEqualTo(text);
        }
        assertThat(faults.list()).isEmpty();
    }

    /** It would be kept as a question mark, and the file would differ for ever from what it has made. */
    @Test
    void halfACharacterIsNone() {
        read("a: \"\\ud83d\\ude00\"\nb: 😀\n");
        assertThat(faults.list()).isEmpty();
        read("a: 1\nb:\n  - \"x\\ud83d\"\n  - \"\\ude00\\ud83d\": 1\n");
        assertThat(faults.list())
                .extracting(Fault::pointer, Fault::message, Fault::at)
                .containsExactly(
                        tuple("/b/0", "holds one half of a surrogate pair without the other", "file.yaml:3"),
                        tuple("/b/1", "holds one half of a surrogate pair without the other", "file.yaml:4"));
    }

    /** PostgreSQL keeps none. The files were refused by the store, in the middle of an apply, as if it were away. */
    @Test
    void aTextHoldsNoNul() {
        read("a: 1\nb:\n  - \"x\\0\"\n  - \"\\u0000\": 1\n");
        assertThat(faults.list())
                .extracting(Fault::pointer, Fault::message, Fault::at)
                .containsExactly(
                        tuple("/b/0", "holds a NUL character", "file.yaml:3"),
                        tuple("/b/1", "holds a NUL character", "file.yaml:4"));
    }

    @Test
    void everyValueKnowsItsLine() {
        Document document = read("a: 1\nb:\n  - c: 2\n    d/e: 3\n").getFirst();
        assertThat(document.place("/b/0/d~1e")).isEqualTo("file.yaml:4");
        assertThat(document.place("/b/0/missing/deeper")).isEqualTo("file.yaml:3");
        assertThat(document.place("/b/1")).isEqualTo("file.yaml:2");
        assertThat(document.place("/b/x")).isEqualTo("file.yaml:2");
        assertThat(document.place("/b/0/c/deeper")).isEqualTo("file.yaml:3");
        assertThat(document.place("")).isEqualTo("file.yaml:1");
    }

    @Test
    void documentsAreToldApartAndEmptyOnesPassedOver() {
        assertThat(read("---\n---\na: 1\n---\n# nothing\n---\nb: 2\n"))
                .extracting(document -> document.root().toString())
                .containsExactly("{\"a\":1}", "{\"b\":2}");
    }

    @Test
    void anAliasIsWhatItStandsFor() {
        assertThat(read("a: &x {b: 1}\nc: *x\n").getFirst().root().toString())
                .isEqualTo("{\"a\":{\"b\":1},\"c\":{\"b\":1}}");
    }

    @Test
    void aliasesThatExpandWithoutEndAreRefused() {
        StringBuilder bomb = new StringBuilder("a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n");
        for (int i = 1; i < 10; i++) {
            String alias = "*a" + (i - 1);
            bomb.append(
                    "a%d: &a%d [%s]\n".formatted(i, i, String.join(", ", java.util.Collections.nCopies(10, alias))));
        }
        read(bomb.toString());
        assertThat(faults.list()).extracting(Fault::message).containsExactly(TOO_LARGE);
        faults = new Faults();
        read("a: &a [*a]\n");
        assertThat(faults.list())
                .extracting(Fault::message)
                .isNotEmpty()
                .allMatch(message -> message.contains("too deeply"));
    }

    /** Each of 30,000 values has a pointer of 40,000 characters: with them, 100 KB would stand for 1.2 GB. */
    @Test
    void pointersTakeNoMemory() {
        String key = "k".repeat(1_000);
        LongAdder bytes = new LongAdder();
        List<Document> documents = YamlReader.read(
                new SourceFile(
                        "file.yaml",
                        ("{" + key + ": ").repeat(40) + "[" + "1,".repeat(30_000) + "\n1]" + "}".repeat(40)),
                AS_JSON,
                new Expansion(bytes::add),
                faults);
        assertThat(faults.list()).isEmpty();
        assertThat(bytes.sum()).isLessThan(12_000_000);
        assertThat(documents.getFirst().place(("/" + key).repeat(40) + "/30000"))
                .isEqualTo("file.yaml:2");
        read("? " + key.repeat(50) + "\n: [" + "1,".repeat(30_000) + "1]\n");
        assertThat(faults.list()).extracting(Fault::message).containsExactly("has a key of 50000 characters");
    }

    /** The parsed nodes of 1 MB take 120 MB, and all of a document are there before the first of its values. */
    @Test
    void aDocumentIsReservedAndEndedWhileItIsParsed() {
        LongAdder bytes = new LongAdder();
        YamlReader.read(
                new SourceFile("file.yaml", "a: [" + "1,".repeat(500_000) + "\n1]"),
                AS_JSON,
                new Expansion(bytes::add),
                faults);
        assertThat(faults.list()).extracting(Fault::message).containsExactly(TOO_LARGE);
        assertThat(faults.list()).extracting(Fault::at).containsExactly("file.yaml:1");
        assertThat(bytes.sum()).isBetween(200_000L * Expansion.NODE_BYTES, 210_000L * Expansion.NODE_BYTES);
    }

    @Test
    void aTextIsCountedAsOftenAsItIsAliased() {
        read("a: &a " + "x".repeat(100_000) + "\nb: [" + "*a,".repeat(1_000) + "*a]\n");
        assertThat(faults.list()).extracting(Fault::message).containsExactly(TOO_LARGE);
    }

    @Test
    void theFilesOfOneCallAreBoundedTogether() {
        String text = "a: [" + "1,".repeat(40_000) + "1]\n";
        Expansion expansion = new Expansion(bytes -> {});
        for (int i = 0; i < 3; i++) {
            YamlReader.read(new SourceFile("file.yaml", text), AS_JSON, expansion, faults);
        }
        assertThat(faults.list()).extracting(Fault::message).containsExactly(TOO_LARGE);
    }

    @ParameterizedTest
    @CsvSource({"[,]", "{a: ,}", "'- ',''"})
    void deepNestingIsRefusedAndNoStackOverflows(String open, String close) {
        read("a: [1]\nb:\n  " + open.repeat(100_000) + close.repeat(100_000) + "\n");
        assertThat(faults.list())
                .singleElement()
                .satisfies(fault -> assertThat(fault.message()).contains("nested too deeply"));
    }

    /** What JSON does not take over REST must not come in by a file: what is stored is read as JSON again. */
    @Test
    void textsNumbersAndNamesAreAsLongAsInJsonAtMost() {
        String text = "x".repeat(100_000);
        String number = "1".repeat(100);
        String name = "n".repeat(1_000);
        List<Document> documents =
                read("a: %s\nb: %sx\nc: %s\nd: %s1\n%s: 1\n%sn: 1\n".formatted(text, text, number, number, name, name));
        assertThat(faults.list())
                .extracting(Fault::at, Fault::message)
                .containsExactly(
                        tuple("file.yaml:2", "has 100001 characters"),
                        tuple("file.yaml:4", "has 101 characters"),
                        tuple("file.yaml:6", "has a key of 1001 characters"));
        assertThat(documents.getFirst().root().get("a").asString()).isEqualTo(text);
        assertThat(documents.getFirst().root().get("c").bigIntegerValue()).isEqualTo(new BigInteger(number));
        assertThat(documents.getFirst().root().get(name).intValue()).isEqualTo(1);
    }

    @Test
    void noMoreFaultsAreToldThanSomebodyReads() {
        read("a: [" + "!x 1,".repeat(1_000) + "1]\n");
        assertThat(faults.list()).hasSize(100);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a: 1@a: 2|file.yaml:2|appears twice",
                "a: !!java.net.URL [x]|file.yaml:1|has the tag tag:yaml.org,2002:java.net.URL",
                "a: !!bool yes|file.yaml:1|has the tag tag:yaml.org,2002:bool",
                "a: !!str 5|file.yaml:1|has the tag tag:yaml.org,2002:str",
                "b: 1@a: &x !!null 5|file.yaml:2|has the tag tag:yaml.org,2002:null",
                "!!str a: 1|file.yaml:1|has the tag tag:yaml.org,2002:str",
                "!!map {a: 1}|file.yaml:1|has the tag tag:yaml.org,2002:map",
                "a: !secret x|file.yaml:1|has the tag !secret",
                "? [a]@: 1|file.yaml:1|has a key that is not a name",
                "a: [1@b: 2|file.yaml:2|is not YAML",
            })
    void whatIsNotJsonIsRefused(String yaml, String place, String message) {
        read(yaml.replace('@', '\n'));
        assertThat(faults.list()).extracting(Fault::at).contains(place);
        assertThat(faults.list().getFirst().message()).startsWith(message);
    }

    @Test
    void aBodyIsManyFiles() {
        assertThat(SourceFile.in("---\n# headgate-file: a.yaml\nx: 1\n\n---\n# headgate-file: b.yaml\ny: 2\n", "all"))
                .containsExactly(
                        new SourceFile("all", "---\n"),
                        new SourceFile("a.yaml", "x: 1\n\n---\n"),
                        new SourceFile("b.yaml", "y: 2\n"));
        assertThat(SourceFile.in("x: 1", "one.yaml")).containsExactly(new SourceFile("one.yaml", "x: 1\n"));
    }

    private List<Document> read(String text) {
        return YamlReader.read(new SourceFile("file.yaml", text), AS_JSON, new Expansion(bytes -> {}), faults);
    }
}
