package dev.headgate.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SheetTest {

    private final Sheet sheet = new Sheet("wire", false);
    private final Sheet.Entry ours = sheet.entry("simple", "Headgate");
    private final Sheet.Entry theirs = sheet.entry("simple", "PgBouncer");

    @Test
    void keepsEveryRunOfAFigureWithItsBar() {
        theirs.add("ms", "%.1f", 5);
        ours.add("ms", "%.1f", 3);
        ours.add("ms", "%.1f", 1);
        ours.bar("ms", "at most 2");
        theirs.never("reached");
        theirs.answer("says", "nothing");
        sheet.version("PgBouncer", "1.25");
        sheet.print();
        KeptRun kept = sheet.kept();
        assertThat(kept.figures().stream().map(each -> each.subject() + ", " + each.measure() + ": " + each.show()))
                .containsExactly(
                        "Headgate, ms: 2.0 (1.0 … 3.0, n=2), bar at most 2",
                        "PgBouncer, ms: 5.0",
                        "PgBouncer, reached: never");
        assertThat(kept.figures().getFirst().values()).containsExactly(3.0, 1.0);
        assertThat(kept.answers()).containsExactly(new KeptRun.Answer("simple", "says", "PgBouncer", "nothing"));
        assertThat(kept.versions()).containsEntry("PgBouncer", "1.25").containsEntry("Headgate", KeptRun.headgate());
    }

    @Test
    void takesWhatOtherJvmsHaveMeasured() {
        ours.add("ms", "%.1f", "at most 2", 1);
        theirs.never("reached");
        theirs.answer("says", "nothing");
        sheet.version("PgBouncer", "1.25");
        sheet.print();
        Sheet both = new Sheet("wire", false);
        both.add(sheet.kept());
        both.add(sheet.kept());
        both.print();
        assertThat(both.kept().figures().stream()
                        .map(each -> each.subject() + ", " + each.measure() + ": " + each.show()))
                .containsExactly("Headgate, ms: 1.0 (1.0 … 1.0, n=2), bar at most 2", "PgBouncer, reached: never");
        assertThat(both.kept().answers()).isEqualTo(sheet.kept().answers());
        assertThat(both.kept().versions()).containsEntry("PgBouncer", "1.25");
    }

    @Test
    void aRatioIsOfMediansAndRunByRun() {
        ours.add("tps", "%.0f", 10, 30, 20);
        theirs.add("tps", "%.0f", 20, 10, 10);
        ours.times(theirs, "tps", "at least 1");
        sheet.print();
        assertThat(sheet.kept().figures().stream()
                        .filter(each -> each.measure().contains("multiples"))
                        .map(KeptRun.Figure::show))
                .containsExactly("2.00, bar at least 1", "2.00 (0.50 … 3.00, n=3)");
    }

    @Test
    void aRowThatWasNotPrintedIsNotKept() {
        ours.add("ms", "%.1f", 1);
        sheet.print();
        sheet.entry("copy", "Headgate").add("GB/s", "%.1f", 1);
        theirs.add("ms", "%.1f", 2);
        assertThat(sheet.kept().rows()).containsExactly("simple");
        assertThat(sheet.kept().figures()).hasSize(1);
        sheet.print();
        assertThat(sheet.kept().rows()).containsExactly("simple", "copy");
        assertThat(sheet.kept().figures()).hasSize(3);
    }

    @Test
    void aRunWithFewerRepetitionsIsAQuickOne() {
        assertThat(sheet.kept().quick()).isFalse();
        sheet.markQuick();
        assertThat(sheet.kept().quick()).isTrue();
    }

    @Test
    void whatWasNotMeasuredIsNotCompared() {
        ours.add("tps", "%.0f", 10);
        assertThatThrownBy(() -> ours.times(theirs, "tps", "at least 1"))
                .hasMessageContaining("simple, PgBouncer has no figure 'tps'");
        assertThatThrownBy(() -> ours.bar("ms", "5")).hasMessageContaining("'ms'");
    }
}
