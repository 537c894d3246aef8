import Dispatch
import SwiftPlayKit

/// The pages of text over the picture: statistics and keys.
extension PlayerApp {
    /// The interval between two updates of the statistics page, in milliseconds.
    private static let updateInterval = 500
    /// The time for which a page that is not toggled is shown, in milliseconds.
    private static let displayDuration = 4000

    /// Shows a page, or removes it if it is shown.
    ///
    /// - Parameter staysVisible: Whether the page stays until it is toggled again.
    func toggle(_ newPage: TextPage, staysVisible: Bool) {
        if page == newPage { return hidePage() }
        (page, pageNumber) = (newPage, pageNumber + 1)
        updatePage(pageNumber)
        guard !staysVisible else { return }
        let number = pageNumber
        DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(Self.displayDuration)) { [weak self] in
            MainActor.assumeIsolated { if self?.pageNumber == number { self?.hidePage() } }
        }
    }

    /// Removes the page.
    private func hidePage() {
        (page, pageNumber) = (nil, pageNumber + 1)
        viewController?.textPage = nil
        if case .terminal = chosenOutput { show("") }
    }

    /// Draws the page, and draws the statistics again later. `number` is the ``pageNumber`` of the page.
    private func updatePage(_ number: Int) {
        guard let page, pageNumber == number, !isEnding else { return }
        let lines =
            page == .keys ? StatisticsPage.keyLines(keyMap) : StatisticsPage.lines(player, output: "\(outputName)")
        if showsMessagesInStatusLine {
            (self.page, pageNumber) = (nil, pageNumber + 1)
            return lines.forEach(StandardErrorWriter.write)
        }
        viewController?.textPage = lines
        // A terminal has one row for text.
        if case .terminal = chosenOutput { viewController?.showMessage(lines.dropFirst(2).joined(separator: " | ")) }
        guard page == .statistics else { return }
        DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(Self.updateInterval)) { [weak self] in
            MainActor.assumeIsolated { self?.updatePage(number) }
        }
    }

    /// The name of the video output in use.
    private var outputName: String {
        switch chosenOutput {
        case .x11: "x11"
        case .null: "null"
        case .terminal: "terminal"
        }
    }
}
