/// The text of a notification that a banner shows: the member `alert` of Apple's `aps` dictionary.
package struct PushAlert: Hashable, Sendable {
    /// The longest title and body, in characters; longer ones are cut.
    package static let titleLength = 200, bodyLength = 1000

    /// The title; empty if the name of the program is the title.
    package let title: String
    package let body: String

    /// Creates an alert; nil if there is no text.
    package init?(title: String, body: String) {
        (self.title, self.body) = (Self.visible(title, Self.titleLength), Self.visible(body, Self.bodyLength))
        if self.title.isEmpty, self.body.isEmpty { return nil }
    }

    /// Creates the alert of a payload: a text, or an object with a title and a body.
    init?(_ members: [[String]: JSONValidator.Scalar]) {
        func text(_ path: String...) -> String { if case .string(let text) = members[path] { text } else { "" } }
        self.init(title: text("aps", "alert", "title"), body: text("aps", "alert") + text("aps", "alert", "body"))
    }

    /// Returns a text without control characters, except line breaks, and without spaces at its ends.
    private static func visible(_ text: String, _ length: Int) -> String {
        let scalars = text.unicodeScalars.filter { $0 == "\n" || $0.properties.generalCategory != .control }
        var characters = String(String.UnicodeScalarView(scalars)).drop(while: \.isWhitespace).prefix(length)
        while characters.last?.isWhitespace == true { characters.removeLast() }
        return String(characters)
    }
}
