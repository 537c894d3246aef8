import SystemCalls
import Testing

@Suite struct TextSearchTests {
    @Test(
        "a part is found at the start, in the middle and at the end",
        arguments: [
            ("Headphone Jack", "Headphone"), ("a Mic b", "Mic"), ("xterm-256color", "256color"), ("é", "é"), ("", ""),
        ])
    func containedPartIsFound(_ text: String, part: String) { #expect(text.includes(part)) }

    @Test(
        "a part that is missing or longer than the text is not found",
        arguments: [("Headphon", "Headphone"), ("", "x"), ("HdMI", "HDMI"), ("aab", "abb")])
    func missingPartIsNotFound(_ text: String, part: String) { #expect(!text.includes(part)) }
}
