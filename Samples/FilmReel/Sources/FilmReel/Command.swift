/// The parsed command line of the program.
struct Command: Equatable {
    /// The action that the command line requests.
    enum Action: Equatable {
        /// Shows the wall of posters in a window.
        case show
        /// Measures all steps, each step in a separate process.
        case measure
        /// Measures one step and prints the results as JSON.
        case measureStep(MeasuredStep)
    }

    var action = Action.show
    /// The folder with the films.
    var folder = ""
    /// The size of the posters.
    var tile = PixelSize(width: 300, height: 450)
    /// The folder of the poster stores; nil for the user's cache folder.
    var cacheFolder: String?

    static let usage = """
        usage: film-reel FOLDER [--tile WIDTHxHEIGHT] [--cache FOLDER]
               film-reel measure FOLDER [--tile WIDTHxHEIGHT] [--cache FOLDER]
        """
    /// The permitted widths and heights of a poster, in pixels.
    private static let permittedDimensions = 40...2000

    /// Parses the arguments after the program's name.
    ///
    /// - Throws: ``FilmReelError`` with the usage message.
    init(arguments: [String]) throws {
        var remainingArguments = arguments[...]
        if remainingArguments.first == "measure" {
            action = .measure
            remainingArguments.removeFirst()
        } else if remainingArguments.first == "measure-step" {
            remainingArguments.removeFirst()
            guard let step = remainingArguments.popFirst().flatMap(MeasuredStep.init) else {
                throw FilmReelError(Self.usage)
            }
            action = .measureStep(step)
        }
        while let argument = remainingArguments.popFirst() {
            switch argument {
            case "--tile":
                guard let tile = remainingArguments.popFirst().flatMap(Self.tileSize) else {
                    throw FilmReelError("--tile needs a size such as 300x450\n" + Self.usage)
                }
                self.tile = tile
            case "--cache":
                guard let folder = remainingArguments.popFirst(), !folder.isEmpty else {
                    throw FilmReelError("--cache needs a folder\n" + Self.usage)
                }
                cacheFolder = folder
            case _ where argument.hasPrefix("--") || !folder.isEmpty: throw FilmReelError(Self.usage)
            default: folder = argument
            }
        }
        if folder.isEmpty { throw FilmReelError(Self.usage) }
    }

    /// Parses a size such as `300x450`; returns nil if the text is no size or a dimension is not permitted.
    private static func tileSize(_ text: String) -> PixelSize? {
        let dimensions = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard dimensions.count == 2, let width = dimensions[0], let height = dimensions[1],
            permittedDimensions.contains(width), permittedDimensions.contains(height)
        else { return nil }
        return PixelSize(width: width, height: height)
    }
}
