/* SPDX-License-Identifier: MIT */
#define NCURSES_WIDECHAR 1
#include "wpp/step/terminal.h"

#include <curses.h>
#include <errno.h>
#include <term.h>
#include <unistd.h>

#undef columns                     /* term.h names all that terminals can do, as macros */

static const struct { attr_t attributes; short color; } styles[N_STYLES] = {
    [STYLE_PLAIN] = {0, -1},
    [STYLE_TITLE] = {A_REVERSE, -1},
    [STYLE_CURRENT] = {A_BOLD, COLOR_YELLOW},
    [STYLE_PATH] = {0, COLOR_GREEN},
    [STYLE_FAINT] = {0, COLOR_CYAN},
    [STYLE_CHOSEN] = {A_REVERSE, -1},
    [STYLE_WARNING] = {A_BOLD, COLOR_RED}
};

static void choose_colors(bool color)
{
    if (!color || !has_colors() || start_color() == ERR)
        return;
    use_default_colors();
    for (int i = 0; i < N_STYLES; i++)
        if (styles[i].color >= 0)
            init_pair((short)(i + 1), styles[i].color, -1);
}

bool terminal_open(bool color)
{
    FILE *in = isatty(STDIN_FILENO) ? stdin : fopen("/dev/tty", "r");
    FILE *out = isatty(STDOUT_FILENO) ? fdopen(STDOUT_FILENO, "w") : NULL;
    const char *move_cursor;

    if (!in || !out || !newterm(NULL, out, in))
        return false;
    move_cursor = tigetstr("cup");
    if (!move_cursor || move_cursor == (const char *)-1) {
        endwin();
        return false;
    }
    set_escdelay(25);
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    choose_colors(color);
    return true;
}

void terminal_close(void)
{
    endwin();
}

void terminal_size(int *rows, int *columns)
{
    getmaxyx(stdscr, *rows, *columns);
}

static void show_cell(int row, int column, const struct canvas_cell *cell)
{
    wchar_t text[2] = {(wchar_t)cell->character, L'\0'};
    short pair = styles[cell->style].color >= 0 && has_colors() ? (short)(cell->style + 1) : 0;
    cchar_t character;

    if (cell->character != 0 && setcchar(&character, text, styles[cell->style].attributes, pair, NULL) == OK)
        mvadd_wch(row, column, &character);
}

void terminal_show(const struct canvas *c)
{
    erase();
    for (int row = 0; row < c->rows; row++)
        for (int column = 0; column < c->columns; column++)
            show_cell(row, column, &c->cell[row * c->columns + column]);
    move(c->cursor_row, c->cursor_column);
    refresh();
}

void terminal_redraw(void)
{
    clearok(stdscr, TRUE);
}

static int special_key(wint_t key)
{
    switch (key) {
    case KEY_UP: return TERMINAL_UP;
    case KEY_DOWN: return TERMINAL_DOWN;
    case KEY_PPAGE: return TERMINAL_PAGE_UP;
    case KEY_NPAGE: return TERMINAL_PAGE_DOWN;
    case KEY_HOME: return TERMINAL_HOME;
    case KEY_END: return TERMINAL_END;
    case KEY_ENTER: return TERMINAL_ENTER;
    case KEY_BACKSPACE: case KEY_DC: return TERMINAL_BACKSPACE;
    case KEY_RESIZE: return TERMINAL_RESIZED;
    default: return TERMINAL_OTHER;
    }
}

int terminal_key(int milliseconds)
{
    wint_t key;
    int got;

    timeout(milliseconds);
    errno = 0;
    got = get_wch(&key);
    if (got == ERR)
        return milliseconds < 0 && errno != EINTR ? TERMINAL_CLOSED : TERMINAL_NO_KEY;
    if (got == KEY_CODE_YES)
        return special_key(key);
    switch (key) {
    case '\r': case '\n': return TERMINAL_ENTER;
    case 0x7f: case '\b': return TERMINAL_BACKSPACE;
    case 0x1b: return TERMINAL_ESCAPE;
    default: return (int)key;
    }
}
