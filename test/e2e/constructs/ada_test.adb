-- SPDX-License-Identifier: MIT
-- Ada: nested procedures, an exception through two of them, a loop with an exit.
--- -flto
with Ada.Text_IO;
procedure Ada_Test is
   Deep : exception;
   Count : Integer := 0;

   procedure Dive (N : Integer) is
   begin
      if N = 0 then                              --* 3
         raise Deep;                             --* 1
      end if;
      Dive (N - 1);                              --* 2
      Count := Count + 100;
   end Dive;
   pragma No_Inline (Dive);

   procedure Try is
   begin
      Dive (2);                                  --* 1
   exception
      when Deep => Count := Count + 1;
   end Try;
   pragma No_Inline (Try);
begin
   loop
      Count := Count + 10;                       --* 3
      exit when Count >= 30;                     --* 3
   end loop;
   Try;
   Ada.Text_IO.Put_Line (Integer'Image (Count));
end Ada_Test;
--=  31
--> _ada_ada_test
-->   ada_test__try
-->     ada_test__dive ^
-->       ada_test__dive ^
-->         ada_test__dive ^
